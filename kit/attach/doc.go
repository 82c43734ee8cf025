// Package attach makes attachments of files: pictures, PDF documents, sounds and texts that a person names for a message.
//
// # What a file is
//
// Its content says it, by package internal/media, and its name counts for nothing: HTML in a file that is called shot.png
// is refused as a picture, not sent as one. Files are opened without waiting for a pipe or a device in their place.
//
// # What is sent
//
// A picture within what models look at is sent as it is; a larger one is made smaller, held upright, and sent as JPEG or
// PNG, as are formats that not every vendor takes. What is sent is what the session keeps. The file is neither changed nor
// kept: who attaches it again after a change sends it as it is then. Moving, broken and oversized pictures, PDFs without
// their end or with a password, and files over the limits are refused with an error that names file, size and limit.
//
// # Who can take it
//
// [Check] holds an attachment against what is known of the model ([agent.ModelInfo.Takes]), before anything is sent. Its
// error names models that could, and the setting that says that this one can.
//
// A [Tray] is what waits for the next message of each session.
package attach
