// Package plannedprivate passes the private state of a plan to resources where the plugin framework does not.
//
// Terraform plans a resource twice: for the plan that it prints or saves, and again right before it applies the resource, in another process. Since
// version 1.16 it sends the private state of the first plan along with the second one, and announces this with the client capability
// store_planned_private (Terraform, docs/plugin-protocol/tfplugin6.proto). terraform-plugin-go v0.31 does not know these fields yet. If an apply
// creates a resource, terraform-plugin-framework v1.19 drops the private state of the plan.
package plannedprivate

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// These are the requests that carry a planned private state, and the number of its field in each (tfplugin6.proto).
const (
	planMethod  = "/tfplugin6.Provider/PlanResourceChange"
	applyMethod = "/tfplugin6.Provider/ApplyResourceChange"

	planField  protowire.Number = 9
	applyField protowire.Number = 5
)

// capabilitiesField has the client's capabilities in the request of a plan. storesField is the capability to store the private state of the plan for
// the apply.
const (
	capabilitiesField protowire.Number = 7
	storesField       protowire.Number = 3
)

// Intercept stores the planned private state of a request in the context of its handler. For a plan, it also stores whether the client stores the private state
// of the plan. It returns an error if the private state cannot be read.
func Intercept(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if message, ok := request.(proto.Message); ok {
		var err error
		switch info.FullMethod {
		case planMethod:
			ctx, err = With(ctx, bytesField(message.ProtoReflect(), planField))
			if err == nil && hasStoreCapability(message.ProtoReflect()) {
				ctx = WithStore(ctx)
			}
		case applyMethod:
			ctx, err = With(ctx, bytesField(message.ProtoReflect(), applyField))
		}
		if err != nil {
			return nil, err
		}
	}
	return handler(ctx, request)
}

// bytesField returns the value of a field of a message, even if the type of the message does not have the field. It returns nil if the value is missing or has
// another type.
func bytesField(message protoreflect.Message, number protowire.Number) []byte {
	if field := message.Descriptor().Fields().ByNumber(number); field != nil {
		if field.Kind() != protoreflect.BytesKind {
			return nil
		}
		return message.Get(field).Bytes()
	}
	var out []byte
	for rest := []byte(message.GetUnknown()); len(rest) > 0; {
		found, kind, length := protowire.ConsumeField(rest)
		if length < 0 {
			return nil
		}
		if found == number && kind == protowire.BytesType {
			_, _, tag := protowire.ConsumeTag(rest)
			out, _ = protowire.ConsumeBytes(rest[tag:])
		}
		rest = rest[length:]
	}
	return out
}

// hasStoreCapability reports whether the client stores the private state of a plan, according to the capabilities in the request.
func hasStoreCapability(request protoreflect.Message) bool {
	capabilities := request
	if field := request.Descriptor().Fields().ByNumber(capabilitiesField); field != nil {
		if field.Kind() != protoreflect.MessageKind || !request.Has(field) {
			return false
		}
		capabilities = request.Get(field).Message()
		if field := capabilities.Descriptor().Fields().ByNumber(storesField); field != nil {
			return field.Kind() == protoreflect.BoolKind && capabilities.Get(field).Bool()
		}
		return readCapability(capabilities.GetUnknown())
	}
	return readCapability(bytesField(request, capabilitiesField))
}

func readCapability(fields []byte) bool {
	for len(fields) > 0 {
		number, kind, tag := protowire.ConsumeTag(fields)
		length := protowire.ConsumeFieldValue(number, kind, fields[max(tag, 0):])
		if tag < 0 || length < 0 {
			return false
		}
		if number == storesField && kind == protowire.VarintType {
			value, _ := protowire.ConsumeVarint(fields[tag:])
			return value != 0
		}
		fields = fields[tag+length:]
	}
	return false
}

type contextKey struct{}

type storeKey struct{}

// WithStore returns a context for a plan whose private state the client stores and sends with the plan right before the apply.
func WithStore(ctx context.Context) context.Context { return context.WithValue(ctx, storeKey{}, true) }

// Stores reports whether the client stores the private state of the plan.
func Stores(ctx context.Context) bool {
	stores, _ := ctx.Value(storeKey{}).(bool)
	return stores
}

// With returns a context that carries a planned private state as Terraform sends it. Without a state, it returns ctx. It returns an error for a state
// that the plugin framework did not write: without the state, nothing would restrict the apply.
func With(ctx context.Context, state []byte) (context.Context, error) {
	if len(state) == 0 {
		return ctx, nil
	}
	var values map[string][]byte // the framework's encoding of a private state
	if err := json.Unmarshal(state, &values); err != nil {
		return nil, fmt.Errorf("the private state of the plan cannot be read. Nothing was written. Plan again: %w", err)
	}
	return context.WithValue(ctx, contextKey{}, State{values: values}), nil
}

// From returns the planned private state in a context, and whether there is one.
func From(ctx context.Context) (State, bool) {
	state, found := ctx.Value(contextKey{}).(State)
	return state, found
}

// State is a planned private state: JSON by key. It is read-only.
type State struct{ values map[string][]byte }

// GetKey returns the value of a key, or nil if there is none.
func (s State) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) {
	return s.values[key], nil
}
