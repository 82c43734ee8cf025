// Package providertest is a scripted model server for tests. It listens on loopback, plays replies from a script, keeps
// every request body and refuses (400) what no vendor would accept: a body that is no JSON, a tool call without exactly one
// result, a result without a call. It speaks Chat Completions, Responses (/responses), Messages (/messages) and
// generateContent, each by its path; in the last three, thoughts and calls carry opaque marks such as mark-anthropic-2,
// which must come back to the same wire only. Responses is as strict as where nothing is stored: no item known by its id
// alone, no reasoning without its encrypted content and something behind it, no call_id twice, no null in a schema.
//
//	srv := providertest.New(t.Context(), providertest.MustParse(`
//		CALL bash {"command":"ls"}
//		SAY two files
//	`))
//	defer srv.Close()
//	// use srv.URL as base URL, then look at srv.Bodies() and srv.Faults()
//
// # Scripts
//
// One reply per line; a line that starts with + adds a part to the reply before it. Empty lines and lines that start
// with # are skipped.
//
//	SAY text              a text, streamed in several deltas; a Go string in double quotes may hold \n and more
//	SAYFILE path          the same from a file
//	LINES n               a text of n numbered lines
//	THINK text            reasoning (reasoning_content)
//	CALL tool {json}      a tool call; what follows the name goes out as the arguments, whatever it is
//	USAGE in out [cached] the token counts of this reply (default 10 and 5); USAGE none leaves them out
//	FINISH reason         the finish reason, in place of stop or tool_calls
//	RAW path              the bytes of a file as the event stream, and nothing else
//	CUT path              the same, then the connection breaks
//	BREAK                 the connection breaks here
//	STATUS code body      an HTTP error; HEADER lines may be added with +
//	HEADER name value     a header of this reply
//	WAIT                  holds here until [Server.Release]
//	WAIT n                holds here until the n-th request has arrived
//	HANG                  holds here until the client goes away
//	NOTHING               a well-formed stream without any content
//
// "3* SAY x" stands for three replies, "* SAY x" for any number. In the texts of SAY and CALL {n} is the number of the
// reply, from 1. A reply that has several CALL parts is one message with several calls.
//
// Five directives stand on lines of their own, before the replies: KEY secret (any other key gets a 401); EMBED n (/embeddings
// gives vectors of n numbers, made of the letters of each text, and uses up no reply); IMAGES n text
// (a request with a picture of more than n bytes is refused with 400 and this text, and uses up no reply); ALSO method path
// status body (answers what is no request for a completion, such as what a local server says of itself, as often as it is
// asked); and KEYED: the reply is not the next one but the one whose number is the number of assistant messages in the request. That way a
// client that is killed and started again gets the reply that belongs to its history.
//
// What stands behind a line FOR text is for conversations whose first user message has that text in it: sub-agents, say.
// Each such part has its own count; what stands before the first FOR is for all other conversations.
//
// When the script is over, every request is answered with status 400 and the word "script".
package providertest
