package enginetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// deployment returns a Deployment with these fields in its spec and these containers.
func deployment(fields string, containers ...string) string {
	if fields != "" {
		fields = "  " + fields + "\n"
	}
	return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: it}\nspec:\n" + fields +
		"  selector: {matchLabels: {app: it}}\n  template:\n    metadata: {labels: {app: it}}\n" +
		"    spec: {containers: [" + strings.Join(containers, ", ") + "]}\n"
}

const (
	app1 = `{name: app, image: "app:1", ports: [{containerPort: 80}]}`
	app2 = `{name: app, image: "app:2", ports: [{containerPort: 80}]}`
	side = `{name: side, image: "side:1"}`

	itsDeployment = "apps/v1 Deployment it"
	autoscaler    = "kube-controller-manager"
)

// job returns a Job.
func job(completions int, image string) string {
	return fmt.Sprintf("apiVersion: batch/v1\nkind: Job\nmetadata: {name: it}\nspec:\n  completions: %d\n  template:\n    spec:\n"+
		"      restartPolicy: Never\n      containers: [{name: app, image: %q}]\n", completions, image)
}

func namespace(labels string) string {
	return "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-x, labels: {" + labels + "}}}"
}

func widget(spec string) string {
	return "{apiVersion: $group/v1, kind: Widget, metadata: {name: it}, spec: {" + spec + "}}"
}

func scaled(n int) step {
	return editSubresource("scale", autoscaler, itsDeployment, fmt.Sprintf("{spec: {replicas: %d}}", n))
}

// big returns a ConfigMap that is too large for the annotation with the last applied configuration.
func big(extra string) string {
	return "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {big: " + strings.Repeat("x", 262000) + ", extra: " + extra + "}}"
}

var ifNotDrifted = placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted}

const (
	gone    = "{apiVersion: v1, kind: ConfigMap, metadata: {name: gone}, data: {a: \"1\"}}"
	gadget  = "{apiVersion: $ns.example.com/v1, kind: Gadget, metadata: {name: it, namespace: $ns}}"
	gadgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.$ns.example.com}
spec:
  group: $ns.example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`
)

func quota(cpu string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ResourceQuota, metadata: {name: it}, spec: {hard: {cpu: %q}}}", cpu)
}

// JobPaths returns the paths that the API server adds to a Job, and the path of its completions.
func JobPaths() []string { return slices.Clone(jobPaths) }

var jobPaths = []string{
	"/metadata/labels/controller-uid", "/metadata/labels/job-name", "/spec/backoffLimit", "/spec/completionMode", "/spec/completions",
	"/spec/manualSelector", "/spec/parallelism", "/spec/podReplacementPolicy", "/spec/selector", "/spec/suspend", "/spec/template/metadata",
	"/spec/template/spec/containers/0/imagePullPolicy", "/spec/template/spec/containers/0/resources",
	"/spec/template/spec/containers/0/terminationMessagePath", "/spec/template/spec/containers/0/terminationMessagePolicy",
	"/spec/template/spec/dnsPolicy", "/spec/template/spec/schedulerName", "/spec/template/spec/securityContext",
	"/spec/template/spec/terminationGracePeriodSeconds",
}
