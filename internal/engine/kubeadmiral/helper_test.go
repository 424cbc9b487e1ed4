package kubeadmiral_test

import (
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

func keys(of map[string]any) []string { return slices.Sorted(maps.Keys(of)) }

func manifestHash(of map[string]any) string { return manifest.Hash(of) }
