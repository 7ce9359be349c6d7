; expect: sc=UNSAFE tso=UNSAFE:12
; A naive mutex without the deadlock: a thread that finds the mutex taken takes its wish back and
; tries again. Two threads may still find it free at once.
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
    je enter
    mov dword [wanted], 0
    jmp acquire
enter: mov dword [taken], 1
cs: mov dword [taken], 0
    mov dword [wanted], 0
    jmp acquire
end thread_code
