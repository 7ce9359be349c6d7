; expect: sc=SAFE
; A sequence lock with two sequence numbers. A thread that gets hold of `writer` writes: it counts
; up `begun`, writes both halves, counts up `done`. All others read: `done`, both halves, `begun`. A
; reader never accepts halves of different writes.
begin shared_data
    writer dd 0
    begun dd 0
    done dd 0
    low dd 0
    high dd 0
end shared_data

begin unsafe_prop
    eip[$t1] = accept && ecx[$t1] <> edx[$t1]
end unsafe_prop

begin init_code
    start_threads
end init_code

begin thread_code
again: mov eax, 1
    xchg eax, [writer] ; one writer at a time; who fails reads
    cmp eax, 0
    jne read
write: inc dword [begun]
    inc dword [low]
    inc dword [high]
    inc dword [done]
    mov dword [writer], 0
    jmp again
read: mov esi, [done]
    mov ecx, [low]
    mov edx, [high]
    mov edi, [begun]
    cmp esi, edi
    jne again
accept: jmp again
end thread_code
