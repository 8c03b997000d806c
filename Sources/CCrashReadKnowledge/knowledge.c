#include "knowledge.h"

// SwiftPM's own way, a Swift array literal of every byte, takes half a minute to compile and several times the room in the
// program. #embed is C23's, and clang's in every C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char rules_bytes[] = {
#embed "../CrashReadDiagnosis/Knowledge/rules.json"
};
static const unsigned char frames_bytes[] = {
#embed "../CrashReadDiagnosis/Knowledge/frames.json"
};
static const unsigned char codes_bytes[] = {
#embed "../CrashReadDiagnosis/Knowledge/codes.json"
};
static const unsigned char en_bytes[] = {
#embed "../CrashReadDiagnosis/Knowledge/en.json"
};
static const unsigned char ja_bytes[] = {
#embed "../CrashReadDiagnosis/Knowledge/ja.json"
};
static const unsigned char contracts_bytes[] = {
#embed "../CrashReadDiagnosis/Knowledge/contracts.json"
};
static const unsigned char contracts_en_bytes[] = {
#embed "../CrashReadDiagnosis/Knowledge/contracts.en.json"
};
static const unsigned char contracts_ja_bytes[] = {
#embed "../CrashReadDiagnosis/Knowledge/contracts.ja.json"
};

struct knowledge_document knowledge_rules(void) {
  return (struct knowledge_document){rules_bytes, sizeof rules_bytes};
}

struct knowledge_document knowledge_frames(void) {
  return (struct knowledge_document){frames_bytes, sizeof frames_bytes};
}

struct knowledge_document knowledge_codes(void) {
  return (struct knowledge_document){codes_bytes, sizeof codes_bytes};
}

struct knowledge_document knowledge_en(void) {
  return (struct knowledge_document){en_bytes, sizeof en_bytes};
}

struct knowledge_document knowledge_ja(void) {
  return (struct knowledge_document){ja_bytes, sizeof ja_bytes};
}

struct knowledge_document knowledge_contracts(void) {
  return (struct knowledge_document){contracts_bytes, sizeof contracts_bytes};
}

struct knowledge_document knowledge_contracts_en(void) {
  return (struct knowledge_document){contracts_en_bytes, sizeof contracts_en_bytes};
}

struct knowledge_document knowledge_contracts_ja(void) {
  return (struct knowledge_document){contracts_ja_bytes, sizeof contracts_ja_bytes};
}
