package schedule

import "slices"

// withoutNamespace says that a cluster does not have the namespace of a ResourcePlacement, or nothing. A cluster whose namespaces are not
// collected is taken for one that has it. KubeFleet: the NamespaceAffinity plugin, which PickFixed does not ask.
func withoutNamespace(c *Cluster, namespace string) string {
	switch {
	case namespace == "" || !c.NamespacesCollected:
		return ""
	case c.Namespaces == nil:
		return "cluster has no namespace information available"
	case !slices.Contains(c.Namespaces, namespace):
		return "target namespace does not exist on cluster"
	}
	return ""
}
