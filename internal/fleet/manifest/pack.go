package manifest

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
)

// Pack writes texts by key as one short one: JSON, gzip, base64.
func Pack(texts map[string]string) (string, error) {
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	if err := json.NewEncoder(writer).Encode(texts); err != nil {
		return "", err
	}
	if err := writer.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(packed.Bytes()), nil
}

var errUnreadable = errors.New("the texts are not readable")

// unpackedLimit is how long texts may be that were packed: what is unpacked is not this process's own, and may be a gzip bomb.
const unpackedLimit = 64 << 20

// Unpack reads what Pack wrote. The error repeats nothing of it.
func Unpack(text string) (map[string]string, error) {
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, errUnreadable
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, errUnreadable
	}
	plain, err := io.ReadAll(io.LimitReader(reader, unpackedLimit+1))
	if err != nil || len(plain) > unpackedLimit {
		return nil, errUnreadable
	}
	var out map[string]string
	if json.Unmarshal(plain, &out) != nil {
		return nil, errUnreadable
	}
	return out, nil
}
