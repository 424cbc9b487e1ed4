// Package envelope opens and checks envelopes: objects that carry other objects to the members without letting them take effect on the
// hub.
//
// There are three types. An annotated ConfigMap carries objects as texts; KubeFleet opened those before its version 0.1 and places them as
// plain ConfigMaps since, so that only the direct engine opens them. A ResourceEnvelope carries objects of its own namespace and a
// ClusterResourceEnvelope cluster-scoped ones; both carry them inline.
package envelope
