// Package hubs has the tests of the engine on hubs that are not as the newest release makes them: of other versions of the API, with webhooks
// of their own, made by Azure, with a thousand members, with accounts that may do little, and not well.
package hubs
