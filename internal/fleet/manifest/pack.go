package manifest

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
)

// Pack encodes texts with their keys as one short text: JSON, gzip, base64.
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

var errUnreadable = errors.New("the strings are not readable")

// maxUnpacked is the maximum size of unpacked texts in bytes. The input is not trusted and may be a gzip bomb.
const maxUnpacked = 64 << 20

// Unpack decodes the result of Pack. The error contains no part of the text.
func Unpack(text string) (map[string]string, error) {
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, errUnreadable
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, errUnreadable
	}
	plain, err := io.ReadAll(io.LimitReader(reader, maxUnpacked+1))
	if err != nil || len(plain) > maxUnpacked {
		return nil, errUnreadable
	}
	var out map[string]string
	if json.Unmarshal(plain, &out) != nil {
		return nil, errUnreadable
	}
	return out, nil
}
