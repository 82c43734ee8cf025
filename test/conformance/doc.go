// Package conformance compares the wires of this program with the vendors' own Go libraries. It is a module of its own, so
// that nothing of them is ever linked, or has to be compiled for the ordinary tests:
//
//	make conformance
//
// Two things are held. What we send is made of fields and shapes that the library's types know: each body of a rich
// conversation goes through them and comes back equal. And what we read is what the library reads, for every well-formed
// reply of the cases in provider/testdata/wire and, where there is one, of the corpus that WIRE_CASES names: text, calls,
// the reason of the end, and counts. The libraries are not always right; where they differ the case's own expectation
// says who is, and every difference is printed.
package conformance
