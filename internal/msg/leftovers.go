package msg

// LeftOut says that a command goes on without settings that are wrong.
const LeftOut Key = "设置有误，这次不采用：%s" + or + "settings that are wrong are left out this time: %s"
