// Package plan has two ways to lead an agent: plan mode, in which it plans before it changes anything, and the goal loop, in
// which it goes on until a command passes.
//
// # Plan mode
//
// A session is in plan mode while its mode says so. The hook of [New] then hides every tool that does more than read, and
// tells the model to investigate and to answer with a numbered plan. When it does (see [Numbered]), the person is asked:
//
//   - approve: the mode goes back to what it was, the tools return, and the plan goes in as a durable message that tells the
//     model to carry it out;
//   - edit, or any other words: they are said to the model as the person's own, and the plan that comes of it is asked about
//     anew;
//   - reject: the turn ends, and plan mode stays. The plan can still be approved later.
//
// Where nobody is there to answer, the plan is the answer of the run, and waits. [ApproveMessage] is what a front end says
// to a session to approve what waits. A message that comes while the question is open withdraws the question: it is what the
// model hears next.
//
// The state is in [agent.Session.State]: who takes a session over from its log asks the same question, and does not ask
// again what was answered. [Carry] is what a compaction has to keep of a plan that is in force. What a call may do in plan
// mode is not decided here: hiding a tool only keeps the model from trying.
//
// A sub-agent has the mode of its parent. It is told that it can only read, and presents no plan.
//
// # The goal loop
//
// The hook of [Until] has a command run each time the model has answered. One that passes ends the turn; what another one
// has printed goes to the model, which goes on. It ends with stop steps after so many checks ([GoalOptions.Rounds]), and
// with stop loop when the model calls no tool any more and the command prints the same, or it only talks three times in a row; the limits of a run (steps, time, money) hold as
// always. A goal that holds is reached: it is not checked again, unless the person speaks and the hook was given the
// command.
package plan
