// Package envelope extracts and checks envelopes: objects that contain other objects for the members. The contained objects have no effect on the hub.
//
// There are three types. An annotated ConfigMap contains objects as texts. KubeFleet extracted these before its version 0.1 and has placed them as
// plain ConfigMaps since, so only the direct engine extracts them. A ResourceEnvelope contains objects of its own namespace, and a
// ClusterResourceEnvelope contains cluster-scoped objects, both inline.
package envelope
