// Package cost knows what model calls cost, counts what was spent, and holds an agent to limits.
//
//	prices := cost.NewTable(nil)
//	meter := cost.New(cost.Options{Prices: prices, Log: store, MaxCost: 1.50})
//	wire = meter.Attempt(wire)          // below retries: every attempt is counted, and none starts beyond the limit
//	model = meter.In(session, model)    // says for whom
//	hook := meter.Hook()                // ends runs in order
//
// # Prices
//
// A [Table] is the list that comes with the program, of the day that [Table.AsOf] names, under prices that the person has
// set. It is read when it is first asked, line by line. A model is looked for by the vendor's name and the model's id, then
// by forms of the id that mean the same model; see [Table.Lookup]. What is not found has no price: its tokens are counted,
// its cost is unknown and never 0.
//
// A request whose input is larger than a tier's bound is billed as a whole at that tier. Input counts include what was read
// from and written to the vendor's cache; output counts include thoughts. A cache price of 0 or none means that the vendor
// has no such price: these tokens are plain input.
//
// # The meter
//
// [Meter.Attempt] goes around the model that makes one attempt. It fills [agent.Usage] with the cost, unless the vendor
// reported one; where the vendor reports no tokens they are estimated from the texts and marked so. Attempts that are
// withdrawn count, models that stand in for others are priced as themselves. Each attempt is one line in the log cost/ROOT,
// where ROOT is the session at the root of a tree of sub-agents: whoever belongs to the tree, in whatever process, adds to
// it and reads it. Rewinding a conversation takes nothing back that was spent.
//
// # Limits
//
// MaxCost and MaxTokens hold for a tree as a whole, over all its runs. Once one is reached no attempt starts; an attempt
// that is under way ends. Near the limit attempts wait for those that are under way, each of which is expected to take as much as
// the largest so far, so that as a rule one at most goes beyond. A run
// ends with stop budget and says what was spent; it can go on when the limit is raised. Models without a price do not count
// towards MaxCost, which is said once.
//
// Requests and tokens per minute are bounded for each vendor, over all agents of the process: in no span of sixty seconds
// more is sent. How long an answer becomes is known afterwards; it holds back what follows. Waiting is said in a note and
// ends with the context.
package cost
