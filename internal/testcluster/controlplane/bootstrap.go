package controlplane

import (
	"context"
	_ "embed"
	"fmt"
	"net/http"
)

// stages configures kwok's simulation of nodes and Pods.
//
//go:embed stages.yaml
var stages []byte

// bootstrap creates the objects that a cluster has from its first start.
func (c *Cluster) bootstrap(ctx context.Context, api *api) error {
	const rbac = "/apis/rbac.authorization.k8s.io/v1"
	if err := api.create(ctx, rbac+"/clusterroles", readonlyRole()); err != nil {
		return err
	}
	if err := api.create(ctx, rbac+"/clusterrolebindings", readonlyBinding()); err != nil {
		return err
	}
	if !c.Workloads {
		return nil
	}
	return api.create(ctx, "/api/v1/nodes", node(c.nodeName()))
}

// readonlyRole returns a role that may read everything, including Secrets: it represents read-only credentials, which must suffice for a plan.
func readonlyRole() object {
	verbs := []string{"get", "list", "watch"}
	return object{
		"apiVersion": "rbac.authorization.k8s.io/v1",
		"kind":       "ClusterRole",
		"metadata":   object{"name": readonlyUser},
		"rules": []object{
			{"apiGroups": []string{"*"}, "resources": []string{"*"}, "verbs": verbs},
			{"nonResourceURLs": []string{"*"}, "verbs": []string{"get"}},
		},
	}
}

func readonlyBinding() object {
	const group = "rbac.authorization.k8s.io"
	return object{
		"apiVersion": group + "/v1",
		"kind":       "ClusterRoleBinding",
		"metadata":   object{"name": readonlyUser},
		"roleRef":    object{"apiGroup": group, "kind": "ClusterRole", "name": readonlyUser},
		"subjects":   []object{{"apiGroup": group, "kind": "User", "name": readonlyUser}},
	}
}

func node(name string) object {
	return object{
		"apiVersion": "v1",
		"kind":       "Node",
		"metadata": object{
			"name":   name,
			"labels": object{"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"},
		},
	}
}

func (c *Cluster) nodeName() string { return c.Name + "-node" }

// waitReady waits until the controllers have started and each token gets the expected response.
func (c *Cluster) waitReady(ctx context.Context, api *api) error {
	steps := []struct {
		what  string
		ready func(context.Context) error
	}{
		{"the default service account", func(ctx context.Context) error {
			return api.get(ctx, "/api/v1/namespaces/default/serviceaccounts/default", nil)
		}},
		{"the node", func(ctx context.Context) error { return c.nodeReady(ctx, api) }},
		{"the administrator's token", c.answers(c.token, http.StatusOK)},
		{"the read-only token", c.answers(c.readonly, http.StatusOK)},
		{"the refusal of the expired token", c.answers(c.expired, http.StatusUnauthorized)},
	}
	for _, step := range steps {
		if err := waitFor(ctx, step.what, c.servers(), step.ready); err != nil {
			return err
		}
	}
	return nil
}

// releaseNode deletes the node's lease of an earlier, killed kwok. Otherwise the new kwok would wait until the lease expires, and Pods would not run before
// that.
func (c *Cluster) releaseNode(ctx context.Context, api *api) error {
	if !c.Workloads {
		return nil
	}
	return api.remove(ctx, c.leasePath())
}

func (c *Cluster) leasePath() string {
	return "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/" + c.nodeName()
}

// nodeReady returns an error until Pods can be scheduled on the node and kwok runs them.
func (c *Cluster) nodeReady(ctx context.Context, api *api) error {
	if !c.Workloads {
		return nil
	}
	var node struct {
		Spec   struct{ Taints []object }
		Status struct {
			Conditions []struct{ Type, Status string }
		}
	}
	if err := api.get(ctx, c.leasePath(), nil); err != nil {
		return err
	}
	if err := api.get(ctx, "/api/v1/nodes/"+c.nodeName(), &node); err != nil {
		return err
	}
	if len(node.Spec.Taints) > 0 {
		return fmt.Errorf("node %s still has taints: %v", c.nodeName(), node.Spec.Taints)
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == "Ready" && condition.Status == "True" {
			return nil
		}
	}
	return fmt.Errorf("node %s is not ready", c.nodeName())
}

// answers returns a check that a list of all Secrets with the token gets the status want. The check can fail at first, because the authorizer learns of
// permissions with a delay.
func (c *Cluster) answers(token string, want int) func(context.Context) error {
	return func(ctx context.Context) error {
		got, err := status(ctx, c.URL()+"/api/v1/secrets", c.tls, token)
		if err == nil && got != want {
			err = fmt.Errorf("answered with status %d, want %d", got, want)
		}
		return err
	}
}
