// What options take by name, and the shipped files that they stand for.
#pragma once

namespace segmenter {

// Decoders that tag characters, by a compiled model; those over words: decoder_name() in calls.hpp.
constexpr const char* kTaggers[] = {"hmm", "perceptron", "crf", "bilstm-crf",
                                     "encoder-crf"};
constexpr const char* kStandards[] = {"general", "pku"};
constexpr const char* kSkips[] = {"space", "punct"};  // bits of Plan::skip, in this order

// What a preset decodes with: `balanced` is the linear model of the best F1 on the development text
// under 15 MB, `fast` the fastest model within 0.006 of it, `accurate` the model of the best F1
// that needs no other package, `best` an encoder in a package of its own.
struct Preset {
  const char *name, *tagger;
};
constexpr Preset kPresets[] = {
    {"fast", "perceptron"}, {"balanced", "crf"}, {"accurate", "bilstm-crf"}, {"best", "encoder-crf"}};
constexpr const char* kDefaultPreset = "balanced";

// The shipped model of a linear tagger: <standard>-<file>.model; lattices read <standard>.lex.
struct LinearModel {
  const char *tagger, *file;
};
constexpr LinearModel kLinearModels[] = {
    {"hmm", "hmm"}, {"perceptron", "fast"}, {"crf", "balanced"}};
// The shipped model of a network: one file of all its standards.
constexpr LinearModel kNetworkModels[] = {{"bilstm-crf", "accurate"}, {"encoder-crf", "best"}};
constexpr const char* kPosFile = "pos.model";  // parts of speech, for all presets

// The version of the rules that cut a text; part of every fingerprint.
constexpr int kRules = 7;

}  // namespace segmenter
