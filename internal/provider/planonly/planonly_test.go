package planonly

import (
	"context"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

func TestRemove(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]string{
		`{"name":"web","planned_changes":"3 to create"}`:       `{"name":"web","planned_changes":null}`,
		`{"name":"web","planned_changes":null}`:                `{"name":"web","planned_changes":null}`,
		`{"name":"web","large":12345678901234567890.123}`:      `{"name":"web","large":12345678901234567890.123}`,
		`{"name":"planned_changes"}`:                           `{"name":"planned_changes"}`,
		`{"nested":{"planned_changes":1}}`:                     `{"nested":{"planned_changes":1}}`,
		`{"planned_changes":1,"large":12345678901234567890.1}`: `{"large":12345678901234567890.1,"planned_changes":null}`,
		`{"planned_changes"`:                                   `{"planned_changes"`,
		``:                                                     ``,
	} {
		if got := string(Remove([]byte(state))); got != want {
			t.Errorf("%s: %s instead of %s", state, got, want)
		}
	}
}

// upgradeRequest returns a request with the fields that terraform-plugin-go has.
func upgradeRequest(t *testing.T, state string) *dynamicpb.Message {
	t.Helper()
	field := func(name string, number int32, kind descriptorpb.FieldDescriptorProto_Type, typeName *string) *descriptorpb.FieldDescriptorProto {
		return &descriptorpb.FieldDescriptorProto{
			Name: proto.String(name), JsonName: proto.String(name), Number: proto.Int32(number), Type: kind.Enum(), TypeName: typeName,
			Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
		}
	}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("state.proto"), Package: proto.String("state"), Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{
			{Name: proto.String("RawState"), Field: []*descriptorpb.FieldDescriptorProto{field("json", 1, descriptorpb.FieldDescriptorProto_TYPE_BYTES, nil)}},
			{Name: proto.String("Request"), Field: []*descriptorpb.FieldDescriptorProto{
				field("raw_state", 3, descriptorpb.FieldDescriptorProto_TYPE_MESSAGE, proto.String(".state.RawState")),
			}},
		},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := dynamicpb.NewMessage(file.Messages().ByName("Request"))
	raw := out.Mutable(out.Descriptor().Fields().ByName("raw_state")).Message()
	raw.Set(raw.Descriptor().Fields().ByName("json"), protoreflect.ValueOfBytes([]byte(state)))
	return out
}

// TestIntercept checks that the attribute is removed only from a state that is read.
func TestIntercept(t *testing.T) {
	t.Parallel()
	const state = `{"planned_changes":"3 to create"}`
	for method, want := range map[string]string{upgradeMethod: `{"planned_changes":null}`, "/tfplugin6.Provider/ReadResource": state} {
		request := upgradeRequest(t, state)
		_, err := Intercept(t.Context(), request, &grpc.UnaryServerInfo{FullMethod: method}, func(_ context.Context, got any) (any, error) {
			message := got.(*dynamicpb.Message)
			raw := message.Get(message.Descriptor().Fields().ByName("raw_state")).Message()
			if text := string(raw.Get(raw.Descriptor().Fields().ByName("json")).Bytes()); text != want {
				t.Errorf("%s: %s", method, text)
			}
			return nil, nil //nolint:nilnil // the response is not used
		})
		if err != nil {
			t.Errorf("%s: %v", method, err)
		}
	}
}
