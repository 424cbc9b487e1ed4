package published

import (
	"embed"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

//go:embed testdata/*.tf
var files embed.FS

// Configuration returns the configuration of all examples that can be applied together, with their statuses as outputs.
func Configuration(t *testing.T) string {
	t.Helper()
	parts := []string{file(t, "fleet.tf")}
	for _, e := range examples {
		if !e.alone {
			parts = append(parts, file(t, e.file))
		}
	}
	return strings.Join(append(parts, file(t, "outputs.tf")), "\n")
}

// file returns a configuration of testdata. Its source of the module federate is the folder in this repository.
func file(t *testing.T, name string) string {
	t.Helper()
	text, err := files.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "FEDERATE", filepath.Join(documents.Root(t), "examples", "modules", "federate"))
}

// Namespaces are the Namespaces on the hub that the placements of [Configuration] select, without web-2, which also exists on a member before.
var Namespaces = []string{"app", "test-ns", "prod-deployment", "test-deployment", "critical", "spread", "rolling", "test"}

// Prepare creates the objects that exist before the first placement, and deletes their Namespaces when the test ends.
func Prepare(t *testing.T, env *clusters.Env) {
	t.Helper()
	var hub strings.Builder
	for _, name := range append([]string{"tolerant", "nginx"}, Namespaces...) {
		hub.WriteString("{apiVersion: v1, kind: Namespace, metadata: {name: " + name + "}}\n---\n")
		if name != "nginx" && name != "test" {
			hub.WriteString("{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: " + name + "}, data: {greeting: hello}}\n---\n")
		}
	}
	hub.WriteString("{apiVersion: v1, kind: ConfigMap, metadata: {name: test-1, namespace: test}, data: {greeting: hello}}\n---\n")
	// A host cluster places its Namespaces on all members, so the Namespaces of the members are created first.
	on := harness.Harness{Env: env}
	on.PutForTest(t, "member-2", strings.ReplaceAll(web2, "REPLICAS", "2"))
	on.PutForTest(t, "member-1", nginx)
	on.PutForTest(t, env.Hub, hub.String()+strings.ReplaceAll(web2, "REPLICAS", "3"))
}

const web2 = `
{apiVersion: v1, kind: Namespace, metadata: {name: web-2, labels: {app: web-2}}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: web-2}, spec: {selector: {app: web}, ports: [{port: 80}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: web-2}
spec:
  replicas: REPLICAS
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1.29", ports: [{containerPort: 80}]}]}
`

const nginx = `
{apiVersion: v1, kind: Namespace, metadata: {name: nginx}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: my-nginx, namespace: nginx}
spec:
  selector: {matchLabels: {run: my-nginx}}
  replicas: 2
  template:
    metadata: {labels: {run: my-nginx}}
    spec: {containers: [{name: my-nginx, image: nginx, ports: [{containerPort: 80}]}]}
---
{apiVersion: v1, kind: Service, metadata: {name: my-nginx, namespace: nginx, labels: {run: my-nginx}}, spec: {ports: [{port: 80, protocol: TCP}], selector: {run: my-nginx}}}
`
