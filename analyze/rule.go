package analyze

// Rules returns all rules, in the order of the catalogue.
func Rules() []Rule {
	return []Rule{
		// delivery and breaks
		answerThenBreak, answerThenClientClose, breakBeforeAnswer, partialAnswer, answerUnframed, answerCROnly, endWithoutAnswer, pollCloseRule,
		clientClosedBeforeAnswer, unanswered, streamHeldOpen, initializeHeldOpen, answerCrosswired, answerForeignID, responseWrongStream,
		duplicateAnswer, messageAfterAnswer, resetFromElsewhere,
		// resumption
		resumed, resumedAnswer, resumeTooEarly, resumeRefused, resumeReplaysSeen, resumeWrongStream, eventIDReused, modernEventID,
		// re-issue
		reissueAfterDelivery, reissueAfterUnframed, reissueOfExecuted, reissueOfStarted, reissueAfterLoss, reissueClean, reissueWhileInFlight,
		transportDuplicate, reissueAfterSession404, retryAfterStatus, reissueSameID, lostNotReissued,
		// session, HTTP
		status202ForRequest, statusNot202, wrongContentType, getNotSSE, sessionExpired404, noReinitAfter404, batchNotAllowed, idReused, authChallenge,
		undecodableEncoding,
		// timing
		slowFirstByte, slowAnswer, keepaliveGap, idleCut, bufferedStream,
		// framing
		sseEventUnterminated, sseNonJSONData, sseOtherEventName, sseLineWithoutColon, sseInvalidUTF8, sseIDNul, sseMixedEOL, sseBOM, sseJSONOverLines,
		// capture quality
		tcpGap, snaplenCut, tlsOpaque, midStart, oneDirection,
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
