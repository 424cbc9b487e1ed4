package record

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
)

// MemberName is the name of the ConfigMap that makes a cluster a member.
const MemberName = "member-cluster"

const memberKey = "member.json"

// Member is the record that makes a cluster a member. The UID exposes a record that was restored from a backup to another cluster.
type Member struct {
	member.Spec
	ClusterUID string `json:"clusterUID"`
	// ID is the identity of the resource that manages the member. Records of early versions have none.
	ID string `json:"id,omitempty"`
}

// Encode returns the ConfigMap of the record.
func (m Member) Encode() (*unstructured.Unstructured, error) {
	return newConfigMap(MemberName, MemberKind, map[string]any{memberKey: m})
}

// DecodeMember decodes the ConfigMap of a member.
func DecodeMember(u *unstructured.Unstructured) (*Member, error) {
	var out Member
	if err := decodeKey(u, memberKey, &out); err != nil {
		return nil, err
	}
	return &out, nil
}
