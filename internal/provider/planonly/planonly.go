// Package planonly sets planned_changes to null in a state that Terraform reads. The attribute is only for the reader of a plan.
//
// A plan shows the attribute once, and an apply has to return it as planned. The next plan would print the old value again. A refresh cannot remove
// the old value: -refresh-only would report the removal as a change of the infrastructure. But Terraform asks the provider to upgrade each state that it reads, even
// a state of the current version, and does not compare the result with the prior value (Terraform, internal/terraform/upgrade_resource_state.go).
package planonly

import (
	"bytes"
	"context"
	"encoding/json"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Attribute is the attribute that Intercept sets to null.
const Attribute = "planned_changes"

// upgradeMethod is the request with which Terraform reads a state. The field rawStateName of the request has the state, and its field jsonName the attributes
// (tfplugin6.proto).
const (
	upgradeMethod = "/tfplugin6.Provider/UpgradeResourceState"
	rawStateName  = "raw_state"
	jsonName      = "json"
)

// Intercept sets the attribute to null in the state that a request contains.
func Intercept(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if message, ok := request.(proto.Message); ok && info.FullMethod == upgradeMethod {
		removeFromRequest(message.ProtoReflect())
	}
	return handler(ctx, request)
}

func removeFromRequest(request protoreflect.Message) {
	raw := request.Descriptor().Fields().ByName(rawStateName)
	if raw == nil || raw.Kind() != protoreflect.MessageKind || !request.Has(raw) {
		return
	}
	state := request.Mutable(raw).Message()
	text := state.Descriptor().Fields().ByName(jsonName)
	if text == nil || text.Kind() != protoreflect.BytesKind {
		return
	}
	state.Set(text, protoreflect.ValueOfBytes(Remove(state.Get(text).Bytes())))
}

// Remove sets the attribute to null in a state of a resource, which is JSON. If it cannot parse the state, it returns the state unchanged.
func Remove(state []byte) []byte {
	if !bytes.Contains(state, []byte(`"`+Attribute+`"`)) {
		return state
	}
	attributes := map[string]json.RawMessage{}
	if err := json.Unmarshal(state, &attributes); err != nil {
		return state
	}
	if _, found := attributes[Attribute]; !found {
		return state
	}
	attributes[Attribute] = json.RawMessage("null")
	out, err := json.Marshal(attributes)
	if err != nil {
		return state
	}
	return out
}
