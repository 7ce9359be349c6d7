; expect: sc=SAFE tso=SAFE
; A test-and-test-and-set lock.
begin shared_data
    busy dd 0
end shared_data

begin unsafe_prop
    eip[$t1] = cs && eip[$t2] = cs
end unsafe_prop

begin init_code
    start_threads
end init_code

begin thread_code
test_it: cmp dword [busy], 0
    je try
    pause
    jmp test_it
try: mov eax, 1
    xchg eax, [busy]
    test eax, eax
    jnz test_it
cs: mov dword [busy], 0
    jmp test_it
end thread_code
