// Package convert converts between the types of internal/fleet and the API of a KubeAdmiral host. It neither reads nor writes a cluster.
//
//	policy.go      a placement's policy, and the policy on the host
//	keys.go        the labels and annotations of placed objects
//	template.go    objects as sent to members, with the control plane's labels and annotations
//	retain.go      fields that a replaced object on a member keeps
//	sync_state.go  the status of an object on a member
//	member.go      the registration of a member
//	external.go    policies that the provider did not create
//	imported.go    annotations of placed objects, converted to a configuration
//	suspend.go     policies whose scheduling is suspended
//	name.go        names of FederatedObjects
//	mapping.go     the table of all arguments: whether a host has an exact, a similar or no equivalent
package convert
