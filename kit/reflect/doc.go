// Package reflect lets an agent learn from how it has worked, one step at a time and never by itself: it counts what a
// conversation's events say of calls, failures, repeats and cost ([Collect]); asks the model once what was wasted and how a
// section of its system prompt should read ([Desk.Propose]); and keeps what it proposes, numbered, in a [Book].
//
// Nothing changes until the person applies a proposal. Then its text stands behind the prompt of the profile it was made
// for, between marks and with words that say what it is ([Section]); it adds to the prompt and can take nothing away from
// it. Each proposal is the whole section, so the newest one that is applied is the one that holds, and undoing goes back to
// the one before, as often as there is one.
//
// What comes from tools is given to the model as data between marks; what comes back is masked, bounded, and marked where it
// seems to loosen what holds an agent: such a one is applied only by somebody who says so twice.
package reflect
