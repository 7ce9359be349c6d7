; expect: sc=SAFE tso=SAFE
; A ticket lock: `lock xadd` draws a number, and the lock is a thread's when its number is served.
begin shared_data
    next dd 0
    serving dd 0
end shared_data

begin unsafe_prop
    eip[$t1] = cs && eip[$t2] = cs
end unsafe_prop

begin init_code
    start_threads
end init_code

begin thread_code
acquire: mov eax, 1
    lock xadd dword [next], eax
spin: cmp dword [serving], eax
    je cs
    pause
    jmp spin
cs: inc eax
    mov dword [serving], eax
    jmp acquire
end thread_code
