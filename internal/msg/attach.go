package msg

// Texts about files that a person attaches to a message.
const (
	HelpAttach Key = "把图片、PDF、录音或文本文件附到下一条消息；不带参数列出，remove 去掉" + or + "attach images, PDFs, sounds or text files to the next message; without arguments list them; remove takes one off"
	FlagAttach Key = "把文件附到消息（可重复）：图片、PDF、录音、文本" + or + "attach a file to the message (repeatable): an image, a PDF, a sound, a text"

	AttachImage Key = "图片" + or + "an image"
	AttachPDF   Key = "PDF 文件" + or + "a PDF"
	AttachSound Key = "录音" + or + "a sound"
	AttachText  Key = "文本" + or + "text"

	AttachMissing   Key = "%s：没有这个文件" + or + "%s: there is no such file"
	AttachNotAFile  Key = "%s 不是普通文件" + or + "%s is no regular file"
	AttachRule      Key = "%s 不能附上：%s" + or + "%s cannot be attached: %s"
	AttachLarge     Key = "%s 有 %s，%s最大 %s：先改小" + or + "%s has %s, and the limit for %s is %s: make it smaller first"
	AttachEmpty     Key = "%s 是空文件" + or + "%s is empty"
	AttachPixels    Key = "%s 是 %s 图片，%d×%d 像素，超过上限 1 亿像素：先缩小" + or + "%s is a %s image of %dx%d, and the limit is 100 million pixels: make it smaller first"
	AttachBroken    Key = "%s 像是 %s 图片，但已损坏：%s" + or + "%s looks like a %s image, but is broken: %s"
	AttachMoving    Key = "%s 是动图（%s），模型只看单张图片：先取出其中一张" + or + "%s is a moving image (%s), and models look at one picture: take one out of it first"
	AttachDisguised Key = "%s 的名字像%s，内容却是 %s：不作为%[2]s发送" + or + "%s is named like %s, but what is in it is %s: it is not sent as one"
	AttachBinary    Key = "%s 是没有模型能读的二进制文件（可以附上：PNG、JPEG、GIF、WebP、BMP、TIFF 图片，PDF，WAV、MP3 等录音，文本）" + or + "%s is a binary file that no model reads (what can be attached: PNG, JPEG, GIF, WebP, BMP and TIFF images, PDF, sounds such as WAV and MP3, text)"
	AttachPDFCut    Key = "%s 是不完整的 PDF：缺少结尾" + or + "%s is a broken PDF: its end is missing"
	AttachPDFLocked Key = "%s 是加密的 PDF：先去掉密码" + or + "%s is an encrypted PDF: take its password off first"
	AttachMany      Key = "一条消息最多附 %d 个文件" + or + "a message takes %d {file|files} at most"
	AttachTotal     Key = "附上 %s 之后附件合计 %s，一条消息最多 %s" + or + "with %s the attachments have %s together, and a message takes %s at most"

	AttachBlind   Key = "%[1]s 是图片，而不知道 %[2]s 能看图。换一个能看图的模型%[3]s；如果它其实能看，在 config.yaml 写 models: {%[4]s: {vision: true}}" + or + "%[1]s is an image, and %[2]s is not known to see images. Take a model that does%[3]s; if this one can, write models: {%[4]s: {vision: true}} into config.yaml"
	AttachNoPDF   Key = "%[1]s 是 PDF，而不知道 %[2]s 经由 %[5]s 能读 PDF。换一个能读的%[3]s，或先转成文本（pdftotext）；如果它其实能读，在 config.yaml 写 models: {%[4]s: {files: true}}" + or + "%[1]s is a PDF, and %[2]s is not known to read any over %[5]s. Take a model that does%[3]s, or make text of it (pdftotext); if this one can, write models: {%[4]s: {files: true}} into config.yaml"
	AttachDeaf    Key = "%[1]s 是录音，而不知道 %[2]s 经由 %[5]s 能听。换一个能听的模型%[3]s；如果它其实能听，在 config.yaml 写 models: {%[4]s: {audio: true}}" + or + "%[1]s is a sound, and %[2]s is not known to hear over %[5]s. Take a model that does%[3]s; if this one can, write models: {%[4]s: {audio: true}} into config.yaml"
	AttachOthers  Key = "（如 %s；/model 或 --model）" + or + " (such as %s; /model or --model)"
	AttachNobody  Key = "（/model 或 --model）" + or + " (/model or --model)"
	AttachNothing Key = "没有消息可以附上文件：--attach 要和一句话一起用" + or + "there is no message to attach it to: --attach goes with a prompt"
	AttachAsked   Key = "已附上 %s（%s），随下一条消息发出" + or + "attached %s (%s); it goes with the next message"
	AttachNone    Key = "没有等待发出的附件（/attach 路径…）" + or + "nothing is attached (/attach PATH...)"
	AttachLine    Key = "%d. %s（%s）" + or + "%d. %s (%s)"
	AttachRemoved Key = "已去掉 %s" + or + "took %s off"
	AttachNoSuch  Key = "没有附件 %s（/attach 列出）" + or + "there is no attachment %s (/attach lists them)"
	AttachSmaller Key = "%s 被拒绝，从现在起改发缩小的图：%s" + or + "%s was refused and is sent smaller from now on: %s"
	AttachLeftOut Key = "%s 被拒绝，从现在起不再发送，代以一行说明：%s" + or + "%s was refused and is left out from now on, with a note in its place: %s"
	AttachShown   Key = "%s %d×%d，%s" + or + "%s %dx%d, %s"
	AttachShrunk  Key = "%s %d×%d，按 %s %d×%d 发送，%s" + or + "%s %dx%d, sent as %s of %dx%d, %s"
)
