package kubeadmiral_test

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

func keys(of map[string]any) []string { return slices.Sorted(maps.Keys(of)) }

func manifestHash(of map[string]any) string { return manifest.Hash(of) }

func objectOf(u *unstructured.Unstructured) manifest.Identifier {
	return manifest.NewObject(u, nil).Identifier
}
