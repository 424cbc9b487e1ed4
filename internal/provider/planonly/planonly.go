// Package planonly removes an attribute from a state that is only for the reader of a plan: planned_changes.
//
// A plan shows the attribute once, and an apply has to return it as it was planned. The next plan would print the old value again. A refresh cannot remove it: -refresh-only would call that a change of the infrastructure. But Terraform has the provider upgrade each
// state that it reads, also one of the current version, and compares nothing with what was before (Terraform, internal/terraform/upgrade_resource_state.go).
package planonly

import (
	"bytes"
	"context"
	"encoding/json"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Attribute is the attribute that is removed from a state when Terraform reads it.
const Attribute = "planned_changes"

// upgradeMethod reads a state. The names are those of its fields (tfplugin6.proto).
const (
	upgradeMethod = "/tfplugin6.Provider/UpgradeResourceState"
	rawStateName  = "raw_state"
	jsonName      = "json"
)

// Intercept removes the attribute from the state in a request.
func Intercept(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if message, ok := request.(proto.Message); ok && info.FullMethod == upgradeMethod {
		intercept(message.ProtoReflect())
	}
	return handler(ctx, request)
}

func intercept(request protoreflect.Message) {
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

// Remove returns the attributes of a resource without the value of the attribute. It returns what it cannot read unchanged.
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
