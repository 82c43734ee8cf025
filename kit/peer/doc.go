// Package peer lets an agent call other agents by name, with the tool call_agent: those of this program, and those that
// another react-agent serves.
//
// # A call to another program
//
// It is a turn of POST /chat there, in a session that this call alone has. What the other agent does is shown as progress
// under its name, what it asks is asked here and answered there, and what comes back are its words. Before the first byte
// is sent, an id is written down for the key of the tool call: it names session and message there. So a call that is run
// again after a crash finds the turn that it has begun, at work or done, and so does one whose connection breaks: nothing
// is run twice. (Such a repeat is only made to a server that has said, with the header [Header], that it knows ids.)
//
// A cancelled call cancels the turn there; the end of this program does not, as the call goes on when it is back.
//
// # Bounds
//
// Agents may call each other in a circle over any number of programs, so each session carries in its id how many calls are
// above it: [Depth] at most. Between two messages of a person a conversation with all its sub-agents makes sixteen calls to
// other programs, one that was called itself four, and one further below one. What is beyond is refused with the reason.
//
// # Whose token
//
// The token of an agent goes to its address and nowhere else; a redirect to another host is an error.
package peer
