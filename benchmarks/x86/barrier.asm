; expect: sc=SAFE tso=SAFE
; A sense-reversing barrier that every thread passes once (PMCx86, Fig. 4): no thread leaves it
; before all have come.
begin shared_data
    sense dd 0
    count dd N ! as counter
end shared_data

begin unsafe_prop
    eip[$t1] = entr && eip[$t2] = end
end unsafe_prop

begin init_code
    start_threads
end init_code

begin thread_code
    mov esi, 0 ; the thread's own sense
entr: not esi
    lock dec dword [count]
    jne spin
last: mov dword [count], N
    mov dword [sense], esi
    jmp end
spin: cmp dword [sense], esi
    jne spin
end: nop
end thread_code
