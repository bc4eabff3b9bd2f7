package analyze

// Rules returns all rules, in the order of the catalogue.
func Rules() []Rule {
	return []Rule{
		// delivery and breaks
		answerThenBreak, answerThenClientClose, breakBeforeAnswer, partialAnswer, answerUnframed, answerCROnly, endWithoutAnswer, pollCloseRule,
		clientClosedBeforeAnswer, unanswered, streamHeldOpen, initializeHeldOpen, answerCrosswired, answerForeignID, responseWrongStream,
		duplicateAnswer, messageAfterAnswer, resetFromElsewhere, empty200, jsonTruncated,
		// resumption
		resumed, resumedAnswer, resumeTooEarly, resumeRefused, resumeReplaysSeen, resumeWrongStream, eventIDReused, resumeAndReissue, modernEventID, modernResume,
		// re-issue
		reissueAfterDelivery, reissueAfterUnframed, reissueOfExecuted, reissueOfStarted, reissueAfterLoss, reissueClean, reissueWhileInFlight,
		transportDuplicate, reissueAfterSession404, retryAfterStatus, reissueSameID, lostNotReissued, repeatAfterAnswer,
		// session, HTTP
		statusWithoutAnswer, status202ForRequest, statusNot202, wrongContentType, acceptIncomplete, getNotSSE, sessionHeaderMissing, sessionHeaderUnknown, sessionIDIllegal,
		sessionExpired404, noReinitAfter404, sessionAfterDelete, sessionNotSticky, authNotSticky, serverRestart, reconnectStorm, sessionRefusedDelete,
		sessionNotDeleted, versionHeaderMissing, versionMismatch, batchNotAllowed, idNull, idReused, initializeCancelled, requestsBeforeInitialized,
		authChallenge, undecodableEncoding,
		// the modern era
		headerBodyMismatch, metaMissing, resultTypeMissing, serverRequestInModern, clientResponseInModern, getInModern, sessionHeaderInModern,
		logWithoutLevel, subscriptionNotAcknowledgedFirst, subscriptionUntagged, subscriptionUnrequestedType, subscriptionDropped, reservedErrorCode,
		unknownMethodStatus, eraFallback, mrtrIDReused, mrtrStateAltered, mrtrStateInvented, mrtrOnWrongMethod, taskUnrequested,
		// timing
		slowFirstByte, slowAnswer, keepaliveGap, idleCut, durationCut, clientTimeout, gatewayTimeout, keepaliveRace, headWithheld, bufferedStream, handshakeCost,
		// framing
		sseEventUnterminated, sseNonJSONData, sseOtherEventName, sseLineWithoutColon, sseInvalidUTF8, sseIDNul, sseMixedEOL, sseBOM, sseJSONOverLines,
		stdioNonMCPLine, stdioPartialLine, stdioExitInFlight, stdioRestartReissue,
		// capture quality
		tcpGap, snaplenCut, tlsOpaque, midStart, oneDirection, clockStep,
	}
}

// FindRule returns the rule with that code; ok is false where there is none.
func FindRule(code string) (r Rule, ok bool) {
	for _, r := range Rules() {
		if r.Code == code {
			return r, true
		}
	}
	return Rule{}, false
}
