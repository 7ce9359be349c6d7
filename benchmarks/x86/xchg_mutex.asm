; expect: sc=SAFE tso=SAFE
; A mutex with `xchg`, which locks the bus by itself.
begin shared_data
    lock_word dd 0
end shared_data

begin unsafe_prop
    eip[$t1] = cs && eip[$t2] = cs
end unsafe_prop

begin init_code
    start_threads
end init_code

begin thread_code
acquire: mov eax, 1
    xchg eax, dword [lock_word]
    cmp eax, 0
    jne acquire
cs: mov dword [lock_word], 0
    jmp acquire
end thread_code
