package workload

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Required returns the ConfigMaps, Secrets, PersistentVolumeClaims and the ServiceAccount without which the Pods of an object do not start, sorted by key. It
// returns nothing for an object that creates no Pods, such as a Deployment with 0 replicas. It excludes optional references, pull secrets, the
// PersistentVolumeClaims that a StatefulSet creates, and objects that every namespace has.
func Required(u *unstructured.Unstructured) []manifest.Identifier {
	spec := podSpecOf(u)
	if spec == nil || hasNoPods(u) {
		return nil
	}
	found := map[manifest.Identifier]bool{}
	require := func(source map[string]any, ref reference) {
		name := textIn(source, ref.field)
		if name == "" || source["optional"] == true || ref.kind == "ConfigMap" && slices.Contains(MadeEverywhere, name) {
			return
		}
		found[manifest.Identifier{Version: "v1", Kind: ref.kind, Namespace: u.GetNamespace(), Name: name}] = true
	}
	for _, list := range []string{"containers", "initContainers"} {
		for _, container := range mapsIn(spec, list) {
			for _, variable := range mapsIn(container, "env") {
				requireFields(mapIn(variable, "valueFrom"), require, "secretKeyRef", "configMapKeyRef")
			}
			for _, source := range mapsIn(container, "envFrom") {
				requireFields(source, require, "secretRef", "configMapRef")
			}
		}
	}
	created := claimTemplates(u)
	for _, volume := range mapsIn(spec, "volumes") {
		if created[textIn(volume, "name")] {
			continue
		}
		requireFields(volume, require, "secret", "configMap", "persistentVolumeClaim")
		for _, source := range mapsIn(mapIn(volume, "projected"), "sources") {
			require(mapIn(source, "secret"), references["secretRef"])
			requireFields(source, require, "configMap")
		}
	}
	if account := accountOf(spec); account != "" && account != "default" {
		found[manifest.Identifier{Version: "v1", Kind: "ServiceAccount", Namespace: u.GetNamespace(), Name: account}] = true
	}
	return sortByKey(found)
}

// MadeEverywhere are ConfigMaps that controllers create in every Namespace.
var MadeEverywhere = []string{"kube-root-ca.crt", "openshift-service-ca.crt", "istio-ca-root-cert"}

func requireFields(value map[string]any, require func(map[string]any, reference), fields ...string) {
	for _, field := range fields {
		require(mapIn(value, field), references[field])
	}
}

// podSpecOf returns the spec of an object's Pods, which is read-only, or nil for an object without Pods.
func podSpecOf(u *unstructured.Unstructured) map[string]any {
	switch kindOf(u) {
	case schema.GroupKind{Kind: "Pod"}:
		return mapIn(u.Object, "spec")
	case schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}, schema.GroupKind{Kind: "ReplicationController"}:
		return mapIn(mapIn(mapIn(u.Object, "spec"), "template"), "spec")
	}
	return mapIn(templateOf(u), "spec")
}

// hasNoPods reports whether an object requests no Pods, because it has 0 replicas or is suspended.
func hasNoPods(u *unstructured.Unstructured) bool {
	spec := mapIn(u.Object, "spec")
	replicas, set := spec["replicas"]
	return set && fmt.Sprint(replicas) == "0" || spec["suspend"] == true
}

func claimTemplates(u *unstructured.Unstructured) map[string]bool {
	out := map[string]bool{}
	for _, claim := range mapsIn(mapIn(u.Object, "spec"), "volumeClaimTemplates") {
		out[textIn(mapIn(claim, "metadata"), "name")] = true
	}
	return out
}

// MayCreate reports whether an object may cause another one to be created on the cluster. The command line and the environment of Pods may name the other
// object, and a StatefulSet creates PersistentVolumeClaims. An annotation of an object without Pods may name, for example, the Secret for a Service. A custom
// resource, an Ingress or a Gateway may create any object that it names. It may also create any object whose name contains the name of the resource as whole
// words.
func MayCreate(u *unstructured.Unstructured, other manifest.Identifier) bool {
	if spec := podSpecOf(u); spec != nil {
		return createsClaim(u, other) || slices.ContainsFunc([]string{"containers", "initContainers"}, func(list string) bool {
			return slices.ContainsFunc(mapsIn(spec, list), func(container map[string]any) bool { return hasNameInContainer(container, other.Name) })
		})
	}
	if hasText(mapIn(u.Object, "metadata")["annotations"], other.Name) {
		return true
	}
	kind := kindOf(u)
	creates := isCustom(kind.Group) || kind.Kind == "Ingress" || kind.Kind == "Gateway"
	return creates && (hasWords(other.Name, u.GetName()) || hasText(u.Object, other.Name))
}

func createsClaim(u *unstructured.Unstructured, claim manifest.Identifier) bool {
	for template := range claimTemplates(u) {
		if claim.Kind == "PersistentVolumeClaim" && strings.HasPrefix(claim.Name, template+"-"+u.GetName()+"-") {
			return true
		}
	}
	return false
}

func hasNameInContainer(container map[string]any, name string) bool {
	return hasSubstring(container["command"], name) || hasSubstring(container["args"], name) || slices.ContainsFunc(mapsIn(container, "env"),
		func(variable map[string]any) bool { return textIn(variable, "value") == name })
}

func isCustom(group string) bool {
	return strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io")
}

// hasWords reports whether a name equals part or contains part as whole words: operators name their objects after the custom resource.
func hasWords(name, part string) bool {
	separated := func(text string) string { return "-" + strings.ReplaceAll(text, ".", "-") + "-" }
	return part != "" && strings.Contains(separated(name), separated(part))
}

func hasText(value any, text string) bool {
	switch value := value.(type) {
	case string:
		return value == text
	case []any:
		return slices.ContainsFunc(value, func(element any) bool { return hasText(element, text) })
	case map[string]any:
		for _, inner := range value {
			if hasText(inner, text) {
				return true
			}
		}
	}
	return false
}

func hasSubstring(list any, text string) bool {
	elements, _ := list.([]any)
	return slices.ContainsFunc(elements, func(element any) bool {
		line, _ := element.(string)
		return strings.Contains(line, text)
	})
}

func mapIn(fields map[string]any, name string) map[string]any {
	value, _ := fields[name].(map[string]any)
	return value
}

func mapsIn(fields map[string]any, name string) []map[string]any {
	list, _ := fields[name].([]any)
	var out []map[string]any
	for _, element := range list {
		if value, is := element.(map[string]any); is {
			out = append(out, value)
		}
	}
	return out
}
