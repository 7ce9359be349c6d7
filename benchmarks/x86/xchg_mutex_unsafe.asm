; expect: sc=UNSAFE tso=UNSAFE:10
; The mutex with `xchg`, the exchange taken apart into a load and a store.
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
acquire: mov eax, [lock_word]
    mov dword [lock_word], 1
    cmp eax, 0
    jne acquire
cs: mov dword [lock_word], 0
    jmp acquire
end thread_code
