// Package rolling tests rolling updates over a fleet of ten members.
package rolling

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

const size = 10

var env *clusters.Env

func TestMain(m *testing.M) {
	os.Exit(clusters.Main(m, clusters.Options{Members: size, NoHub: true}, &env))
}

// configuration places a Deployment with an image on all members.
func configuration(kubeconfig, image, maxUnavailable, timeout string) string {
	var b strings.Builder
	b.WriteString("terraform {\n  required_providers {\n    fleet = { source = \"terraform-fleet/fleet\" }\n  }\n}\nlocals {\n  members = {\n")
	for i, name := range env.Members {
		fmt.Fprintf(&b, "    member-%02d = %q\n", i+1, name)
	}
	fmt.Fprintf(&b, `  }
}
provider "fleet" {
  members = { for name, context in local.members : name => { config_path = %q, config_context = context } }
}
resource "fleet_member_cluster" "member" {
  for_each = local.members
  name     = each.key
}
resource "fleet_crp" "web" {
  name = "rolling"
  manifests = { "web.yaml" = <<-YAML
    apiVersion: v1
    kind: Namespace
    metadata: {name: rolling}
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web, namespace: rolling}
    spec:
      replicas: 1
      selector: {matchLabels: {app: web}}
      template:
        metadata: {labels: {app: web}}
        spec: {containers: [{name: web, image: %q}]}
    YAML
  }
  strategy   = { rolling_update = { max_unavailable = %q, unavailable_period_seconds = 1 } }
  timeouts   = { update = %q }
  depends_on = [fleet_member_cluster.member]
}
`, kubeconfig, image, maxUnavailable, timeout)
	return b.String()
}

// span is the time in which a cluster may have been without a working Deployment, as the provider's requests show: from the write to the last read, which found
// the Deployment available.
type span struct {
	cluster    string
	begin, end time.Time
}

func spans(requests []clusters.Request) []span {
	byCluster := map[string]*span{}
	var out []span
	for _, r := range requests {
		if !strings.Contains(r.Path, "/namespaces/rolling/deployments") {
			continue
		}
		s := byCluster[r.Context]
		switch {
		case r.Write() && s == nil:
			byCluster[r.Context] = &span{cluster: r.Context, begin: r.Time, end: r.Time.Add(r.Duration)}
		case s != nil:
			s.end = r.Time.Add(r.Duration)
		}
	}
	for _, s := range byCluster {
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b span) int { return cmp.Compare(a.begin.UnixNano(), b.begin.UnixNano()) })
	return out
}

// maxOverlap returns the maximum number of overlapping spans.
func maxOverlap(all []span) int {
	most := 0
	for _, at := range all {
		n := 0
		for _, s := range all {
			if !s.begin.After(at.begin) && s.end.After(at.begin) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

func TestRollingUpdate(t *testing.T) {
	clusters.Need(t, env)
	recorder, err := clusters.NewRecorder(env, clusters.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // after the workspace is destroyed
		if err := recorder.Close(); err != nil {
			t.Error(err)
		}
	})
	w := prepare(t, configuration(recorder.Kubeconfig(), "nginx:1", "25%", "2m"))

	// The rollout limits do not apply to the first apply, which creates the objects.
	run(t, w, true, "apply", "-auto-approve")

	rewrite(t, w, configuration(recorder.Kubeconfig(), "nginx:2", "25%", "2m"))
	recorder.Reset()
	out := run(t, w, true, "apply", "-auto-approve")
	rolled := spans(recorder.Requests())
	if len(rolled) != size {
		t.Fatalf("the update reached %d of %d clusters:\n%s", len(rolled), size, out)
	}
	// 25% of ten clusters is three, rounded up.
	if n := maxOverlap(rolled); n > 3 {
		t.Errorf("%d clusters were updated at the same time: %v", n, rolled)
	}

	// One member rejects the new Pods: the rollout stops there with a message, and continues when the cause is fixed.
	stuck := client(t, env.Members[3])
	refusePods(t, stuck)
	third := configuration(recorder.Kubeconfig(), "nginx:3", "1", "1m")
	rewrite(t, w, third)
	recorder.Reset()
	out = run(t, w, false, "apply", "-auto-approve")
	for _, text := range []string{"1 not available yet", "6 clusters blocked by the rollout", "member-04", "max_unavailable"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), text) {
			t.Errorf("missing %q in:\n%s", text, out)
		}
	}
	if n := len(spans(recorder.Requests())); n != 4 {
		t.Errorf("the rollout reached %d clusters, although the fourth does not become ready", n)
	}
	if err := stuck.Delete(t.Context(), "admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", "", "no-pods"); err != nil {
		t.Fatal(err)
	}
	rewrite(t, w, strings.Replace(third, `"1m"`, `"2m"`, 1))
	run(t, w, true, "apply", "-auto-approve")
	for _, name := range env.Members {
		u, err := client(t, name).Get(t.Context(), "apps/v1", "Deployment", "rolling", "web")
		if err != nil || u == nil || !strings.Contains(fmt.Sprint(u.Object["spec"]), "nginx:3") {
			t.Errorf("%s: the last update is missing: %v %v", name, u, err)
		}
	}
	if out := run(t, w, true, "plan"); !strings.Contains(out, "No changes.") {
		t.Errorf("the plan is not empty:\n%s", out)
	}
}

// refusePods makes a cluster reject new Pods in the namespace, and waits until it does.
func refusePods(t *testing.T, c *fixture.Client) {
	t.Helper()
	if err := c.Create(t.Context(), []byte(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-pods}
spec:
  failurePolicy: Fail
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  validations: [{expression: "false", message: no pods here}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: no-pods}
spec:
  policyName: no-pods
  validationActions: [Deny]
  matchResources: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: rolling}}}
`)); err != nil {
		t.Fatal(err)
	}
	pod := []byte("{apiVersion: v1, kind: Pod, metadata: {name: probe, namespace: rolling}, spec: {containers: [{name: c, image: x}]}}")
	for range 100 {
		if err := c.Create(t.Context(), pod); err != nil {
			return
		}
		if err := c.Delete(t.Context(), "v1", "Pod", "rolling", "probe"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("the cluster still accepts Pods")
}

func client(t *testing.T, name string) *fixture.Client {
	t.Helper()
	out, err := env.Client(name)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func prepare(t *testing.T, config string) *workspace.Workspace {
	t.Helper()
	binary, err := cli.Terraform(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	mirror, err := workspace.Mirror()
	if err != nil {
		t.Fatal(err)
	}
	source := t.TempDir()
	if err := os.WriteFile(filepath.Join(source, "main.tf"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.New(t.Context(), binary, mirror, source, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if out, err := w.Run(context.Background(), nil, "destroy", "-auto-approve", "-no-color"); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	return w
}

func rewrite(t *testing.T, w *workspace.Workspace, config string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.Dir, "main.tf"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, w *workspace.Workspace, succeeds bool, args ...string) string {
	t.Helper()
	out, err := w.Run(t.Context(), nil, append(args, "-no-color")...)
	if succeeds != (err == nil) {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}
