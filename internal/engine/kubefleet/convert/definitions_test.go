package convert

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/crds"
	clusterv1beta1 "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
)

// fullPlacement has every argument of a placement, although some exclude each other.
const fullPlacement = `
resourceSelectors:
  - {group: "", version: v1, kind: Namespace, name: web, selectionScope: NamespaceOnly}
  - group: rbac.authorization.k8s.io
    version: v1
    kind: ClusterRole
    labelSelector: {matchLabels: {app: web}, matchExpressions: [{key: tier, operator: In, values: [a, b]}]}
policy:
  placementType: PickN
  clusterNames: [member-1]
  numberOfClusters: 2
  affinity:
    clusterAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        clusterSelectorTerms:
          - labelSelector: {matchLabels: {region: east}}
            propertySelector: {matchExpressions: [{name: kubernetes-fleet.io/node-count, operator: Ge, values: ["3"]}]}
      preferredDuringSchedulingIgnoredDuringExecution:
        - {weight: -20, preference: {propertySorter: {name: resources.kubernetes-fleet.io/total-cpu, sortOrder: Descending}}}
  topologySpreadConstraints: [{maxSkew: 2, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]
  tolerations: [{key: a, operator: Equal, value: b, effect: NoSchedule}]
strategy:
  type: RollingUpdate
  rollingUpdate: {maxUnavailable: "1", maxSurge: 25%, unavailablePeriodSeconds: 30}
  applyStrategy:
    type: ServerSideApply
    comparisonOption: FullComparison
    whenToApply: IfNotDrifted
    whenToTakeOver: IfNoDiff
    allowCoOwnership: true
    serverSideApplyConfig: {force: true}
  deleteStrategy: {propagationPolicy: Abandon, contents: Delete}
  reportBackStrategy: {type: Mirror, destination: WorkAPI}
revisionHistoryLimit: 5
statusReportingScope: NamespaceAccessible
`

const fullPolicy = `
placement: {name: web, scope: Cluster}
policy:
  overrideRules:
    - clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {region: east}}}]}
      overrideType: JSONPatch
      jsonPatchOverrides:
        - {op: add, path: /metadata/labels/cluster, value: "${MEMBER-CLUSTER-NAME}"}
        - {op: replace, path: /spec/replicas, value: 2}
        - {op: add, path: /spec/template, value: {a: [1, null, {b: 1.5}]}}
        - {op: remove, path: /data/a}
    - {clusterSelector: {}, overrideType: Delete}
`

const fullMember = `
name: member-1
labels: {region: east}
annotations: {note: a}
taints: [{key: a, value: b, effect: NoSchedule}]
heartbeatPeriodSeconds: 15
identity: {kind: ServiceAccount, name: a, namespace: fleet-system, apiGroup: rbac.authorization.k8s.io}
deleteOptions: {validationMode: Skip, onUnreachable: Error}
adoptExisting: false
`

const fullStrategy = `
stages:
  - name: canary
    labelSelector: {matchLabels: {ring: canary}, matchExpressions: [{key: a, operator: In, values: [b]}]}
    sortingLabelKey: order
    maxConcurrency: 50%
    beforeStageTasks: [{type: Approval}]
    afterStageTasks: [{type: TimedWait, waitTime: 1h30m}, {type: Approval}]
`

// TestObjectsAreAsDefined checks that written objects match the definitions of each version, except for the fields reported as unsupported in it.
func TestObjectsAreAsDefined(t *testing.T) {
	generated, err := crds.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("generated", func(t *testing.T) { objectsAreAsDefined(t, generated) })
	t.Run("published", func(t *testing.T) {
		for release, definitions := range crds.Published(t) {
			t.Run(release, func(t *testing.T) { objectsAreAsDefined(t, definitions) })
		}
	})
}

func objectsAreAsDefined(t *testing.T, definitions []*unstructured.Unstructured) {
	t.Helper()
	spec := parse[placement.Spec](t, fullPlacement)
	cluster := parse[override.ClusterSpec](t, fullPolicy+`clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web, selectionScope: NamespaceOnly}]`)
	namespaced := parse[override.Spec](t, fullPolicy+`resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]`)
	registration := parse[member.Spec](t, fullMember)
	cluster.Policy.MarkSensitive([]override.Position{{}}) // the mark is an annotation
	if missing := unset(&spec, &cluster, &namespaced, &registration); len(missing) > 0 {
		t.Errorf("nothing has %v", missing)
	}
	envelopesAreAsDefined(t, definitions)
	strategy := parse[stagedupdate.Strategy](t, fullStrategy)
	run := stagedupdate.Run{PlacementName: "web", ResourceSnapshotIndex: "3", StrategyName: "by-ring", State: stagedupdate.Started}
	if missing := unset(&strategy, &run); len(missing) > 0 {
		t.Errorf("nothing has %v", missing)
	}
	group := v1beta1.GroupVersion.Group
	for kind, object := range map[schema.GroupKind]any{
		{Group: group, Kind: v1beta1.ClusterResourcePlacementKind}:                         v1beta1.ClusterResourcePlacement{Spec: FromPlacementSpec(spec)},
		{Group: group, Kind: v1beta1.ResourcePlacementKind}:                                v1beta1.ResourcePlacement{Spec: FromPlacementSpec(spec)},
		{Group: group, Kind: v1beta1.ClusterResourceOverrideKind}:                          v1beta1.ClusterResourceOverride{Spec: FromClusterOverride(cluster)},
		{Group: group, Kind: v1beta1.ResourceOverrideKind}:                                 v1beta1.ResourceOverride{Spec: FromOverride(namespaced)},
		{Group: group, Kind: v1beta1.ClusterStagedUpdateStrategyKind}:                      v1beta1.ClusterStagedUpdateStrategy{Spec: FromUpdateStrategy(strategy)},
		{Group: group, Kind: v1beta1.StagedUpdateStrategyKind}:                             v1beta1.StagedUpdateStrategy{Spec: FromUpdateStrategy(strategy)},
		{Group: group, Kind: v1beta1.ClusterStagedUpdateRunKind}:                           v1beta1.ClusterStagedUpdateRun{Spec: FromUpdateRun(run)},
		{Group: group, Kind: v1beta1.StagedUpdateRunKind}:                                  v1beta1.StagedUpdateRun{Spec: FromUpdateRun(run)},
		{Group: clusterv1beta1.GroupVersion.Group, Kind: clusterv1beta1.MemberClusterKind}: FromMember(registration),
	} {
		for _, version := range versions {
			u, err := codec.Encode(object, kind.WithVersion(version))
			if err != nil {
				t.Fatal(err)
			}
			unsupported, err := Unsupported(u)
			if err != nil {
				t.Fatal(err)
			}
			var problems []string
			for _, problem := range crds.Validate(definitions, u) {
				field, isUnknown := strings.CutSuffix(problem, ": there is no such field")
				if !isUnknown {
					t.Errorf("%s: %s", u.GroupVersionKind(), problem)
				}
				problems = append(problems, attribute(strings.TrimPrefix(field, ".spec.")))
			}
			var reported []string
			for _, path := range unsupported {
				reported = append(reported, path.String())
			}
			if !slices.Equal(problems, reported) {
				t.Errorf("%s has no fields for %v, and %v are reported", u.GroupVersionKind(), problems, reported)
			}
		}
	}
}

// envelopesAreAsDefined does the same for the kinds that store envelopes, which have one version.
func envelopesAreAsDefined(t *testing.T, definitions []*unstructured.Unstructured) {
	t.Helper()
	spec := envelope.Spec{
		Namespace: "web", Name: "web", Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"a": "b"},
		Manifests: map[string]string{"config.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: b}, binaryData: {c: ZA==}}"},
	}
	for _, as := range []envelope.Type{envelope.TypeResourceEnvelope, envelope.TypeClusterResourceEnvelope} {
		u, err := spec.Encode(as)
		if err != nil {
			t.Fatal(err)
		}
		if problems := crds.Validate(definitions, u); len(problems) > 0 {
			t.Errorf("%s: %v", as, problems)
		}
	}
}

// unset lists the fields that are empty in all values.
func unset(values ...any) []string {
	seen := map[string]bool{}
	for _, value := range values {
		visit(reflect.ValueOf(value).Elem(), func(pointer any) {
			v := reflect.ValueOf(pointer).Elem()
			for i := range v.NumField() {
				name := v.Type().String() + "." + v.Type().Field(i).Name
				seen[name] = seen[name] || !v.Field(i).IsZero()
			}
		})
	}
	var out []string
	for name, set := range seen {
		if !set {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
