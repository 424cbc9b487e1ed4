// Package convert translates between the nouns of internal/fleet and what stands on a host of KubeAdmiral. It reads and writes no cluster.
//
//	policy.go      a placement's policy, and the policy on the host
//	keys.go        what the selected objects are labelled and annotated with
//	template.go    what of an object on the host is sent to members, and with which marks
//	retain.go      what an object keeps that is there already
//	standing.go    where an object stands on a member
//	member.go      the registration of a member
//	mapping.go     what is the same, what is nearly the same and what there is not: the table of the documentation
package convert
