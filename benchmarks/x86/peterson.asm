; expect: sc=SAFE tso=SAFE
; Peterson's algorithm with `mfence`, for the first two threads that come; all others stay outside.
begin shared_data
    taken0 dd 0
    taken1 dd 0
    flag0 dd 0
    flag1 dd 0
    turn dd 0
end shared_data

begin unsafe_prop
    eip[$t1] = cs0 && eip[$t2] = cs1
end unsafe_prop

begin init_code
    start_threads
end init_code

begin thread_code
    mov eax, 1
    xchg eax, [taken0]
    cmp eax, 0
    je first
    mov eax, 1
    xchg eax, [taken1]
    cmp eax, 0
    je second
    jmp outside
first: mov dword [flag0], 1
    mov dword [turn], 1
    mfence
wait0: cmp dword [flag1], 0
    je cs0
    cmp dword [turn], 0
    jne wait0
cs0: mov dword [flag0], 0
    jmp first
second: mov dword [flag1], 1
    mov dword [turn], 0
    mfence
wait1: cmp dword [flag0], 0
    je cs1
    cmp dword [turn], 1
    jne wait1
cs1: mov dword [flag1], 0
    jmp second
outside: nop
end thread_code
