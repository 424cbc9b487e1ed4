package record

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
)

// MemberName is the name of the ConfigMap that makes a cluster a member.
const MemberName = "member-cluster"

const memberKey = "member.json"

// Member is what makes a cluster a member. The UID guards against a record that came to another cluster with a backup.
type Member struct {
	member.Spec
	ClusterUID string `json:"clusterUID"`
	// ID is the identity of the resource that manages the member; empty in a record of before there were any.
	ID string `json:"id,omitempty"`
}

// Encode writes the record.
func (m Member) Encode() (*unstructured.Unstructured, error) {
	return newConfigMap(MemberName, MemberKind, map[string]any{memberKey: m})
}

// DecodeMember reads the record.
func DecodeMember(u *unstructured.Unstructured) (*Member, error) {
	var out Member
	if err := decodeKey(u, memberKey, &out); err != nil {
		return nil, err
	}
	return &out, nil
}
