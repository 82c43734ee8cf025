// Package wire holds what the wires share: the table of vendors, sending and reading, the classifier of failures, and the
// passes that make a history fit to be sent. A wire is what is left: how its bodies are spelled.
//
//	type model struct{ *wire.Client }
//
//	func New(c wire.Config) agent.Model { return &model{wire.NewClient("chat", c)} }
//
//	func (m *model) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
//		post := wire.Post{Path: "/chat/completions", Body: m.encode(req)}
//		return m.Exchange(ctx, post, req.Tools, func(d *wire.Draft) wire.Decoder { return m.newDecoder(d) })
//	}
//
// # Sending
//
// [Outbound] repairs the history for its receiver; [Body] spells the request so that a longer history continues the bytes
// of a shorter one; [Client.Exchange] sends it.
//
// # Receiving
//
// The reply is read by one reader ([Draft.Read]), stream or not, and each JSON value in it is given to the wire's
// [Decoder]. That tells the [Draft] what the value says: text, thoughts, pieces of calls, a finish reason. The draft does
// what is the same everywhere: think tags and calls in the text, torn characters, which call a piece belongs to, names,
// ids, arguments, and whether the reply was whole. Nothing but a terminal signal ends a message well: a finish reason, the
// wire's last event, or [DONE].
package wire
