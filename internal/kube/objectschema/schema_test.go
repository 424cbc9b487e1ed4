package objectschema_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/objectschema"
)

// at returns the type at a path of a kind, with [] for the elements of a list, or nil if it is unknown.
func at(known diff.Schema, apiVersion, kind, path string) diff.Type {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil
	}
	t := known.Kind(gv.WithKind(kind))
	for step := range strings.SplitSeq(path, ".") {
		field, isList := strings.CutSuffix(step, "[]")
		if t == nil || step == "" {
			return t
		}
		t = t.Field(field)
		if t != nil && isList {
			t = t.Element()
		}
	}
	return t
}

// TestByName checks important fields, and fields whose rules depend on more than the name of the field.
func TestByName(t *testing.T) {
	const (
		v1, apps, scaling, webhooks = "v1", "apps/v1", "autoscaling/v2", "admissionregistration.k8s.io/v1"
		definitions                 = "apiextensions.k8s.io/v1"
		properties                  = "spec.versions[].schema.openAPIV3Schema.properties.any.properties.any.items"
	)
	known := objectschema.New()
	tests := []struct {
		apiVersion, kind, path string
		form                   diff.Form
		atomic, dropped        bool
		keys                   string
	}{
		{v1, "PersistentVolume", "spec.claimRef", diff.FormStructure, false, false, ""},
		{v1, "PersistentVolume", "spec.rbd.secretRef", diff.FormStructure, true, false, ""},
		{v1, "PersistentVolume", "spec.csi.nodeStageSecretRef", diff.FormStructure, true, false, ""},
		{v1, "Pod", "spec.volumes[].rbd.secretRef", diff.FormStructure, true, false, ""},
		{v1, "Pod", "spec.volumes[].flexVolume.secretRef", diff.FormStructure, true, false, ""},
		{v1, "Pod", "spec.volumes[].cephfs.secretRef", diff.FormStructure, true, false, ""},
		{v1, "Pod", "spec.containers[].envFrom[].secretRef", diff.FormStructure, false, false, ""},
		{apps, "ControllerRevision", "data", diff.FormAny, true, true, ""},
		{v1, "Pod", "spec.priority", diff.FormNumber, false, false, ""},
		{definitions, "CustomResourceDefinition", "spec.versions[].additionalPrinterColumns[].priority", diff.FormNumber, false, true, ""},
		{v1, "Pod", "spec.containers[].livenessProbe.timeoutSeconds", diff.FormNumber, false, true, ""},
		{webhooks, "ValidatingWebhookConfiguration", "webhooks[].timeoutSeconds", diff.FormNumber, false, false, ""},
		{"autoscaling/v1", "HorizontalPodAutoscaler", "spec.scaleTargetRef", diff.FormStructure, true, true, ""},
		{scaling, "HorizontalPodAutoscaler", "spec.scaleTargetRef", diff.FormStructure, false, true, ""},
		{scaling, "HorizontalPodAutoscaler", "spec.behavior.scaleUp.tolerance", diff.FormQuantity, false, false, ""},
		{apps, "Deployment", "spec.selector", diff.FormStructure, true, false, ""},
		{v1, "Service", "spec.selector", diff.FormMap, true, true, ""},
		{v1, "Service", "spec.ports", diff.FormList, false, true, "port protocol=TCP"},
		{v1, "Service", "spec.ports[].targetPort", diff.FormNumber, false, true, ""},
		{"discovery.k8s.io/v1", "EndpointSlice", "ports", diff.FormList, false, true, ""},
		{apps, "Deployment", "spec.template.spec.containers", diff.FormList, false, true, "name"},
		{apps, "Deployment", "spec.template.spec.containers[].args", diff.FormList, false, true, ""},
		{apps, "Deployment", "spec.template.spec.topologySpreadConstraints", diff.FormList, false, true, "topologyKey whenUnsatisfiable"},
		{v1, "ServiceAccount", "secrets", diff.FormList, false, true, "name"},
		{v1, "ServiceAccount", "imagePullSecrets", diff.FormList, false, true, ""},
		{v1, "ServiceAccount", "metadata.finalizers", diff.FormList, false, true, "(value)"},
		{v1, "Secret", "data.any", diff.FormBytes, false, false, ""},
		{v1, "Secret", "stringData.any", diff.FormText, false, false, ""},
		{v1, "ResourceQuota", "spec.hard.cpu", diff.FormQuantity, false, false, ""},
		{definitions, "CustomResourceDefinition", "spec.versions", diff.FormList, false, true, ""},
		{definitions, "CustomResourceDefinition", "spec.preserveUnknownFields", diff.FormBoolean, false, true, ""},
		{definitions, "CustomResourceDefinition", "metadata.ownerReferences", diff.FormList, false, true, "uid"},
		{definitions, "CustomResourceDefinition", properties + ".nullable", diff.FormBoolean, false, true, ""},
		{definitions, "CustomResourceDefinition", properties + ".x-kubernetes-preserve-unknown-fields", diff.FormBoolean, false, false, ""},
		{definitions, "CustomResourceDefinition", properties + ".default", diff.FormAny, false, false, ""},
		{"apiregistration.k8s.io/v1", "APIService", "spec.caBundle", diff.FormBytes, false, true, ""},
	}
	for _, tt := range tests {
		got := at(known, tt.apiVersion, tt.kind, tt.path)
		if got == nil {
			t.Errorf("%s %s is not known", tt.kind, tt.path)
			continue
		}
		var keys []string
		for _, key := range got.Keys() {
			switch {
			case key.Field == "":
				keys = append(keys, "(value)")
			case key.Absent != "":
				keys = append(keys, key.Field+"="+key.Absent)
			default:
				keys = append(keys, key.Field)
			}
		}
		if got.Form() != tt.form || got.Atomic() != tt.atomic || got.Dropped() != tt.dropped || strings.Join(keys, " ") != tt.keys {
			t.Errorf("%s %s: form %d, atomic %t, dropped %t, keys %v", tt.kind, tt.path, got.Form(), got.Atomic(), got.Dropped(), keys)
		}
	}
}

func TestNotKnown(t *testing.T) {
	known := objectschema.New()
	for _, place := range [][3]string{
		{"example.org/v1", "Sample", ""}, {"gateway.networking.k8s.io/v1", "Gateway", ""}, {"apps/v9", "Deployment", ""}, {"", "", ""},
		{"apps/v1", "Deployment", "spec.newer"}, {"apps/v1", "Deployment", "spec.replicas.x"}, {"apps/v1", "Deployment", "spec[]"},
		{"apps/v1", "ControllerRevision", "data.spec"}, {"apiextensions.k8s.io/v1beta1", "CustomResourceDefinition", ""},
	} {
		if got := at(known, place[0], place[1], place[2]); got != nil {
			t.Errorf("%v is known, with form %d", place, got.Form())
		}
	}
}

// TestManyAtOnce reads the schema concurrently, for the race detector.
func TestManyAtOnce(t *testing.T) {
	known := objectschema.New()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, kind := range []string{"Deployment", "StatefulSet", "DaemonSet"} {
				containers := at(known, "apps/v1", kind, "spec.template.spec.containers")
				if containers == nil || !slices.Equal(containers.Keys(), []diff.MergeKey{{Field: "name"}}) {
					t.Errorf("%s: got %v", kind, containers)
				}
			}
		})
	}
	all.Wait()
}

// TestLookupsAllocateNothing checks that lookups allocate no memory, because a plan of thousands of objects makes a lookup for every
// difference.
func TestLookupsAllocateNothing(t *testing.T) {
	known := objectschema.New()
	kind := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	lookUp := func() {
		containers := known.Kind(kind).Field("spec").Field("template").Field("spec").Field("containers")
		if containers.Keys() == nil || containers.Element().Field("args").Atomic() {
			t.Error("got other rules")
		}
	}
	lookUp()
	if got := testing.AllocsPerRun(100, lookUp); got > 0 {
		t.Errorf("a lookup allocates %v times", got)
	}
}

// BenchmarkFirstUse measures the first comparison of a process. The table is read once per process, so only the first iteration of the first
// run includes it.
func BenchmarkFirstUse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		at(objectschema.New(), "apps/v1", "Deployment", "spec.template.spec.containers").Keys()
	}
}
