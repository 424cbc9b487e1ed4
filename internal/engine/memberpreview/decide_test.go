package memberpreview

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestVanishing(t *testing.T) {
	t.Parallel()
	going := &unstructured.Unstructured{Object: map[string]any{}}
	if text := vanishing(going); text != "" {
		t.Error(text)
	}
	now := metav1.Now()
	going.SetDeletionTimestamp(&now)
	going.SetFinalizers([]string{"example.org/wait"})
	if text := vanishing(going); !strings.Contains(text, "being deleted") || !strings.Contains(text, "example.org/wait") {
		t.Error(text)
	}
}
