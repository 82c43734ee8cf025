// Package msg is the catalogue of everything the product says to a person, in Chinese and in English.
//
// A text is a typed constant that holds both languages, so a key cannot exist in one language only and a missing key
// does not compile. To add one, write one line in the file of your area (or a new file of this package):
//
//	Greeting Key = "你好，%s" + or + "hello, %s"
//
// Use it through a catalogue:
//
//	c := msg.For(msg.Zh)
//	c.Text(msg.Greeting, "Ada")
//
// Both columns must use the same verbs for the same arguments; when the word order differs, use indexed verbs
// (%[2]s). A test of this package checks every key for that, and every call in the module for the number of arguments.
//
// An English word that depends on a number is written for one and for many behind that number: "%d {file|files}".
//
// Errors that a person will read are made with [Errorf] and shown with [Catalogue.Err], which finds the right language
// anywhere in a wrapped chain. Their Error method speaks English, for logs and tests.
//
// Nothing here changes after start; every value may be used from many goroutines.
package msg
