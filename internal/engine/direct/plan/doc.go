// Package plan finds out what an apply of the direct engine would do: which members it picks, what becomes of every object there, and what
// the records are to say. It writes nothing; package apply carries a plan out.
//
// A plan begins with a [Survey] of the members' own records and with what is to be placed, asked for at the same time. The scheduler decides
// (schedule.go), then every cluster is examined by itself (cluster.go): its objects by memberpreview, what no longer belongs there in
// prune.go.
package plan
