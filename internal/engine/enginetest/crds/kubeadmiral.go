package crds

import (
	"embed"
	"io/fs"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

//go:embed kubeadmiral/*.yaml
var kubeadmiral embed.FS

// KubeAdmiral returns the definitions of KubeAdmiral hosts, which are generated from the types of the engine kubeadmiral.
func KubeAdmiral() ([]*unstructured.Unstructured, error) {
	folder, err := fs.Sub(kubeadmiral, "kubeadmiral")
	if err != nil {
		return nil, err
	}
	return Read(folder)
}
