; expect: sc=UNSAFE tso=UNSAFE:12
; A naive mutex: a thread says that it wants to enter, then looks whether another one is inside. The
; flag that says so is a plain store, which others see late; and a thread that finds the mutex
; taken waits for a flag that it may have set itself.
begin shared_data
    wanted dd 0
    taken dd 0
end shared_data

begin unsafe_prop
    eip[$t1] = cs && eip[$t2] = cs
end unsafe_prop

begin init_code
    start_threads
end init_code

begin thread_code
acquire: cmp dword [wanted], 0
    jne acquire
    mov dword [wanted], 1
    cmp dword [taken], 0
wait: jne wait
    mov dword [taken], 1
cs: mov dword [taken], 0
    mov dword [wanted], 0
    jmp acquire
end thread_code
