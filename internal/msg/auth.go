package msg

// What the person is told when a server refuses a key.
const (
	AuthKey Key = "%[1]s。%[2]s 拒绝了密钥（来自 %[3]s）：检查密钥是否正确、是否属于这个地址，然后在那里改正" + or +
		"%[1]s; %[2]s refuses the key from %[3]s: see that it is right and belongs to this address, and change it there"
	AuthNoKey Key = "%[1]s。%[2]s 要求密钥，但没有设置：设置 %[3]s" + or +
		"%[1]s; %[2]s wants a key, and there is none: set %[3]s"
)
