// Package standin is a control plane of KubeAdmiral for tests: it answers the objects of a host's API as its controller manager does, and writes to the
// members as that does. It is made of this repository's own packages, so that it proves how the engine speaks with a host, and not that hosts decide as
// those packages say: that is what real hosts are for.
//
// The fake acts some time after a write. [Host.Rest] makes it act immediately.
//
// What it does not have: divided replicas, autoscalers, override policies, migration, profiles of the scheduler, and services across clusters.
// It makes FederatedObjects of Namespaces, of what has the label of a policy and of the followers of that alone, where a real host does of every object, and
// places the Namespaces that a policy's objects are in.
package standin
