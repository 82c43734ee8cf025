// Package secret keeps secrets from the model, from transcripts and from the screen, without damage to files.
//
// A [Keeper] knows some values exactly, the agent's own keys, and knows the shapes of many others: tokens of well-known
// services, private keys, passwords in URLs, values assigned to names such as API_TOKEN. In a text each of them is
// replaced by a placeholder such as
//
//	[masked:github-token:1a2b3c4d]
//
// which names the kind, and the value by a short keyed hash: the same value has the same placeholder everywhere, so the
// model can compare and move them. The hash tells nothing about the value without the salt.
//
// # What is masked
//
// Known values are found wherever they stand, without regard to what is around them, also as JSON and URL escapes write
// them, in hexadecimal, backwards, and inside base64 at any alignment. Values of fewer than 8 bytes are not looked for:
// they would be found in ordinary text. For the same reason a value that is part of the words of placeholders is not.
//
// Shapes are judged with care, since a masked hash or example makes a transcript useless. Hashes, UUIDs, integrity
// strings, images, examples ("sk-xxxx", "YOUR_KEY"), references ("$TOKEN", "<token>", "process.env.TOKEN") and words are
// left alone. A generic assignment counts only when its name says secret and its value looks random. So a password that is
// a word is not masked by shape; it can be made known.
//
// # Placeholders on their way back
//
// A file tool gives what the model wrote to [Keeper.Restore], together with what the file holds now: placeholders become
// the values again, taken from the file itself, and a placeholder that stands for nothing there is refused, so it can never
// replace a value. Nothing has to be remembered for that, so it works after a restart, given the same salt. A command gets
// no placeholders: [Keeper.Hook] refuses such calls and says how to do without.
//
// # What it cannot do
//
// A command may print a secret in a form that nobody knows: in pieces, shuffled, compressed. Keeping secrets from a hostile
// command is the work of a sandbox; this package keeps them from ordinary ones.
package secret
