// Package envelope extracts and checks envelopes: objects that carry other objects to the members, so that these have no effect on the hub.
//
// There are three types. An annotated ConfigMap carries objects as texts. KubeFleet extracted these before its version 0.1 and has placed them
// as plain ConfigMaps since, so only the direct engine extracts them. A ResourceEnvelope carries objects of its own namespace and a
// ClusterResourceEnvelope cluster-scoped ones; both carry them inline.
package envelope
