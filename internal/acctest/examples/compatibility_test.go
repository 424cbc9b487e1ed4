package examples

import (
	"testing"
)

// The envelope example runs from plan to destroy with every supported Terraform and OpenTofu.
func TestCLIs(t *testing.T) {
	for _, binary := range fleet.EveryCLI(t) {
		t.Run(binary.String(), func(t *testing.T) {
			fleet.PutForTest(t, "hub", "apiVersion: v1\nkind: Namespace\nmetadata: {name: app}\n")
			w := fleet.Open(t, binary, "examples/envelope", "")
			fleet.MustDestroyAtEnd(t, w)
			out := must(t, w, "apply", "-auto-approve")
			contains(t, out, "3 to create on kind-cluster-1", `"ConfigMap envelope-configmap"`)
			fleet.Check(t, "member-1", "v1", "ResourceQuota", "app", "mem-cpu-demo", "1Gi", "spec", "hard", "requests.memory")
			fleet.Check(t, "member-1", "admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "",
				"azure-wi-webhook-mutating-webhook-configuration", "azure-wi-webhook-mutating-webhook-configuration", "metadata", "name")
			fleet.Absent(t, "member-1", "v1", "ConfigMap", "app", "envelope-configmap")
			fleet.Absent(t, "hub", "v1", "ResourceQuota", "app", "mem-cpu-demo")
			contains(t, must(t, w, "plan"), "No changes.")
			must(t, w, "destroy", "-auto-approve")
			fleet.Absent(t, "member-1", "v1", "Namespace", "", "app")
			fleet.Absent(t, "member-1", "admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "", "azure-wi-webhook-mutating-webhook-configuration")
		})
	}
}
